// Measures how long an item was visible on the screen, and how long its tab was hidden.

export class Timing {
  constructor() {
    this.spent = { visible: 0, hidden: 0 };
    this.since = performance.now();
    this.state = document.visibilityState;
    this.listener = () => this.count();
    document.addEventListener("visibilitychange", this.listener);
    requestAnimationFrame(() => requestAnimationFrame(() => { // a hidden tab is painted when it becomes visible
      this.count();
      this.spent.visible = 0; // from the paint on
    }));
  }

  /** Add the time since the last change to what was spent in that state. */
  count() {
    const now = performance.now();
    this.spent[this.state] += now - this.since;
    this.since = now;
    this.state = document.visibilityState;
  }

  read() {
    this.count();
    return { visible: Math.round(this.spent.visible), hidden: Math.round(this.spent.hidden) };
  }

  stop() {
    document.removeEventListener("visibilitychange", this.listener);
  }
}
