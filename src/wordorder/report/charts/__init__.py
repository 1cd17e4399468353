"""Charts of results, with Vega-Altair (extra ``pictures``): the forms every result is drawn in, and their files.

A form takes plain records, so that a result only says which of its figures belong where. Charts are drawn without
settings of their own at the top level: they can be put side by side and changed like any other Altair chart.
"""

from wordorder.report.charts.files import save_chart
from wordorder.report.charts.forms import plot_curves, plot_histograms, plot_intervals, plot_matrix
from wordorder.report.charts.scatter import plot_scatter

__all__ = ["plot_curves", "plot_histograms", "plot_intervals", "plot_matrix", "plot_scatter", "save_chart"]
