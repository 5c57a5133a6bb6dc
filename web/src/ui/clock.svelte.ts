/** The present moment, for times that are shown relative: one timer for all of them, which rests while the tab is hidden. */
class Clock {
  now = $state(Date.now());

  constructor() {
    const tick = () => {
      if (!document.hidden) this.now = Date.now();
    };
    setInterval(tick, 5000);
    document.addEventListener('visibilitychange', tick);
  }
}

export const clock = new Clock();
