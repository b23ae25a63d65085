// Runs before the first paint: which colours, and whether the splash is due.
// It must keep working when the application itself never arrives.
(() => {
  const root = document.documentElement;
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const calm = matchMedia('(prefers-reduced-motion: reduce)');

  const read = (storage, key) => {
    try {
      return window[storage].getItem(key);
    } catch {
      return null;
    }
  };

  const paint = () => {
    const chosen = read('localStorage', 'unsaid.scheme');
    const scheme = chosen === 'light' || chosen === 'dark' ? chosen : dark.matches ? 'dark' : 'light';
    root.dataset.scheme = scheme;
    document
      .querySelector('meta[name=theme-color]')
      ?.setAttribute('content', scheme === 'dark' ? '#171412' : '#fbf7f2');
  };
  paint();
  dark.addEventListener('change', paint);
  // Settings announces a choice made in this tab, storage one made in another.
  addEventListener('unsaid:scheme', paint);
  addEventListener('storage', paint);

  if (read('sessionStorage', 'unsaid.splash')) return;
  try {
    sessionStorage.setItem('unsaid.splash', 'seen');
  } catch {
    // Without storage it plays on every load; that is still only six seconds.
  }

  root.dataset.splash = 'shown';
  const holdApp = () => {
    const app = document.getElementById('root');
    if (app) app.inert = root.dataset.splash === 'shown';
  };
  const release = () => {
    holdApp();
    removeEventListener('click', skip, true);
    removeEventListener('keydown', skipByKey, true);
  };
  const end = () => {
    delete root.dataset.splash;
    release();
  };
  const skip = (event) => {
    event.preventDefault();
    event.stopPropagation();
    // The app is there for the very next key or tap; only the picture takes a moment to go.
    root.dataset.splash = 'leaving';
    release();
    setTimeout(end, calm.matches ? 0 : 200);
  };
  const skipByKey = (event) => {
    if (event.key === 'Escape' || event.key === 'Enter') skip(event);
  };
  addEventListener('click', skip, true);
  addEventListener('keydown', skipByKey, true);
  addEventListener('DOMContentLoaded', holdApp);
  // Counted from the first frame, not from here: on a slow phone the picture comes a good while later.
  addEventListener('animationend', (event) => event.animationName === 'splash-out' && end());
  requestAnimationFrame(() => setTimeout(end, calm.matches ? 5000 : 6200));
})();
