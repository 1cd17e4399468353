"""Charts of results, drawn with Vega-Altair (which comes with the extra ``pictures``) and saved to files.

The functions take plain records and the names of the fields to draw. Charts have no top-level settings, so they can
be combined and changed like any other Altair chart.
"""

from wordorder.report.charts.forms import plot_curves, plot_histograms, plot_intervals, plot_matrix, plot_scatter
from wordorder.report.charts.marks import save_chart

__all__ = ["plot_curves", "plot_histograms", "plot_intervals", "plot_matrix", "plot_scatter", "save_chart"]
