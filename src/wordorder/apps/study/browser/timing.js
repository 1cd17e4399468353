// Measures how long an item was visible on the screen, and how long its tab was hidden.

export class Timing {
  constructor() {
    this.start = performance.now();
    this.hidden = 0;
    this.left = document.hidden ? this.start : null;
    this.listener = () => this.change();
    document.addEventListener("visibilitychange", this.listener);
    requestAnimationFrame(() => requestAnimationFrame(() => {
      if (!document.hidden) this.start = performance.now(); // from the paint on
    }));
  }

  change() {
    if (document.hidden) this.left = performance.now();
    else if (this.left !== null) {
      this.hidden += performance.now() - this.left;
      this.left = null;
    }
  }

  read() {
    const now = performance.now();
    const hidden = this.hidden + (this.left === null ? 0 : now - this.left);
    return { visible: Math.max(0, Math.round(now - this.start - hidden)), hidden: Math.round(hidden) };
  }

  stop() {
    document.removeEventListener("visibilitychange", this.listener);
  }
}
