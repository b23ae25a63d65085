// Runs before the first paint: which language, which colours, which name the tab has, the quick way out, and
// whether the splash is due.
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

  // The language chosen in this browser, else the first of its own that we have (src/lib/locale.ts lists them).
  const ours = new Set(['hi', 'en']);
  const tongue = read('localStorage', 'unsaid.locale');
  root.lang = ours.has(tongue)
    ? tongue
    : ((navigator.languages ?? [navigator.language])
        // Hindi in Latin letters is not what we have.
        .filter((tag) => !/-latn\b/i.test(tag))
        .map((tag) => tag.toLowerCase().split('-')[0])
        .find((tag) => ours.has(tag)) ?? 'en');
  // Its words, and the page that was asked for, are fetched alongside the application and not after it
  // (vite.config.ts names the files).
  const files = document.currentScript?.dataset ?? {};
  const page = document.currentScript?.getAttribute(`data-at-${location.pathname.slice(1) || 'home'}`);
  for (const href of [files[root.lang], ...(page?.split(' ') ?? [])]) {
    if (!href) continue;
    const link = document.createElement('link');
    const isStyle = href.endsWith('.css');
    link.rel = isStyle ? 'preload' : 'modulepreload';
    if (isStyle) link.as = 'style';
    link.crossOrigin = '';
    link.href = href;
    document.head.append(link);
  }

  const paint = () => {
    const chosen = read('localStorage', 'unsaid.scheme');
    const scheme = chosen === 'light' || chosen === 'dark' ? chosen : dark.matches ? 'dark' : 'light';
    root.dataset.scheme = scheme;
    document
      .querySelector('meta[name=theme-color]')
      ?.setAttribute('content', scheme === 'dark' ? '#171412' : '#fbf7f2');
    // A tab that says nothing about us; what its title is otherwise, each page says (lib/discreet.ts).
    const isDiscreet = read('localStorage', 'unsaid.discreet') === 'on';
    if (isDiscreet) document.title = 'Notes';
    document
      .querySelector('link[rel=icon]')
      ?.setAttribute('href', isDiscreet ? '/notes.svg' : '/favicon.svg');
  };
  paint();
  dark.addEventListener('change', paint);
  // Settings announces a choice made in this tab, storage one made in another.
  addEventListener('unsaid:scheme', paint);
  addEventListener('unsaid:discreet', paint);
  addEventListener('storage', paint);

  // Out of here: the page is blank at once, and another one takes its place in the history.
  const leave = () => {
    const elsewhere = document.getElementById('leave')?.href;
    if (!elsewhere || 'left' in root.dataset) return;
    root.dataset.left = '';
    document.title = 'Notes';
    const go = () => location.replace(elsewhere);
    // Where the browser lets us, from the first of our pages in this tab: then Back does not lead to the others.
    const here = window.navigation?.currentEntry;
    const first = here && window.navigation.entries().find((entry) => entry.sameDocument);
    const steps = first ? here.index - first.index : 0;
    if (steps < 1) return go();
    addEventListener('popstate', go, { once: true });
    setTimeout(go, 300);
    history.go(-steps);
  };
  addEventListener(
    'click',
    (event) => {
      if (!event.target.closest?.('#leave')) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      leave();
    },
    true,
  );
  // Three times Escape, as long as it has nothing else to do: whatever it closes takes the event for itself.
  let escapes = [];
  addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || event.repeat || event.isComposing || event.defaultPrevented) return;
    // A browser empties a search box by itself.
    if (event.target.type === 'search' && event.target.value) return;
    escapes = [...escapes, event.timeStamp].slice(-3).filter((at) => event.timeStamp - at <= 1500);
    if (escapes.length === 3) return leave();
    const said = document.getElementById('leave-said');
    if (said) said.textContent = escapes.length === 2 ? said.dataset.onceMore : '';
  });

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
    const isLeaving = event.target.closest?.('#leave');
    if (event.key === 'Escape' || (event.key === 'Enter' && !isLeaving)) skip(event);
  };
  addEventListener('click', skip, true);
  addEventListener('keydown', skipByKey, true);
  addEventListener('DOMContentLoaded', holdApp);
  // Counted from the first frame, not from here: on a slow phone the picture comes a good while later.
  addEventListener('animationend', (event) => event.animationName === 'splash-out' && end());
  requestAnimationFrame(() => setTimeout(end, calm.matches ? 5000 : 6200));
})();
