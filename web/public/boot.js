// Runs before the first paint: language, colour scheme, title of the tab, quick exit and splash. It must work
// even if the application never loads.
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

  // The language stored in this browser, or the first supported one of its own (src/lib/locale.ts lists
  // them).
  const ours = new Set(['hi', 'hi-Latn', 'en']);
  // Their readers read Hindi too: Marathi, Bhojpuri, Maithili, Nepali, Sanskrit.
  const readsHindi = new Set(['mr', 'bho', 'mai', 'ne', 'sa']);
  const ourOwn = (tag) => {
    const [language, ...parts] = tag.toLowerCase().split('-');
    if (parts.includes('latn') && language !== 'en') return `${language}-Latn`;
    return readsHindi.has(language) ? 'hi' : language;
  };
  const tongue = read('localStorage', 'unsaid.locale');
  root.lang = ours.has(tongue)
    ? tongue
    : ((navigator.languages ?? [navigator.language]).map(ourOwn).find((tag) => ours.has(tag)) ?? 'en');
  // The shortcuts of the installed application.
  const manifest = document.querySelector('link[rel=manifest]');
  if (manifest && root.lang !== 'en') manifest.href = `/manifest-${root.lang}.webmanifest`;
  // Preloads the code and the words of the requested page in parallel with the application. The build writes what they are
  // (scripts/delivery-plugin.ts); in development there is no such list.
  const { files, routes, words, font, call, calls } = JSON.parse(
    document.currentScript?.dataset.delivery ?? '{"files":[],"routes":{},"words":{},"calls":{}}',
  );
  const preload = (href, rel, as) =>
    document.head.append(
      Object.assign(document.createElement('link'), { rel, href, crossOrigin: '', ...(as && { as }) }),
    );
  // The service worker has the font. Without one, the page has it from the second page of a visit on (src/lib/font.ts).
  if (font && navigator.serviceWorker?.controller) {
    root.dataset.font = '';
    preload(font, 'preload', 'font');
  }
  const token = read('localStorage', 'unsaid.token');
  const { pathname } = location;
  const asked = Object.hasOwn(routes, pathname)
    ? pathname
    : `${pathname.slice(0, pathname.lastIndexOf('/') + 1)}:`;
  // Signed out, a page with calls of its own leads to /login.
  const page = token || !Object.hasOwn(calls, asked) ? asked : '/login';
  const ownWords = words[root.lang] ?? {};
  const needed = ['app', ...(routes[page] ?? [])].flatMap((one) =>
    typeof one === 'number' ? one : (ownWords[one] ?? []),
  );
  for (const href of new Set(needed.map((place) => files[place]))) {
    if (href.endsWith('.css')) preload(href, 'preload', 'style');
    else preload(href, 'modulepreload');
  }

  // Sends the first calls of the page in parallel with the application, which takes them over
  // (src/lib/first-calls.ts).
  if (token && call) {
    // With a search, or a state of the history, a page asks for something else.
    const isPlain = !location.search && !history.state?.usr;
    const cursor = read('localStorage', `unsaid.inbox.${read('localStorage', 'unsaid.account')}`);
    const sentCalls = new Map();
    for (const path of [call, ...((isPlain && calls[page]) || [])]) {
      const address = path.replace('?cursor', cursor ? `?${new URLSearchParams({ cursor })}` : '');
      const stop = new AbortController();
      const sent = fetch(address, {
        headers: { accept: 'application/json', authorization: `Bearer ${token}` },
        signal: stop.signal,
        cache: 'no-store',
        redirect: 'error',
      });
      // Told to whoever takes it over.
      sent.catch(() => undefined);
      sentCalls.set(address, { sent, abort: () => stop.abort() });
    }
    window.unsaidFirst = { token, calls: sentCalls };
  }

  const paint = () => {
    const chosen = read('localStorage', 'unsaid.scheme');
    const scheme = chosen === 'light' || chosen === 'dark' ? chosen : dark.matches ? 'dark' : 'light';
    root.dataset.scheme = scheme;
    document
      .querySelector('meta[name=theme-color]')
      ?.setAttribute('content', scheme === 'dark' ? '#171412' : '#fbf7f2');
    // The neutral tab. Otherwise each page sets its own title (lib/neutral-tab.ts).
    const isNeutral = read('localStorage', 'unsaid.discreet') === 'on';
    if (isNeutral) document.title = 'Notes';
    const icon = document.querySelector('link[rel=icon]');
    const picture = isNeutral ? '/notes.svg' : '/favicon.svg';
    // Set again, even to the same, it is fetched again.
    if (icon && icon.getAttribute('href') !== picture) icon.setAttribute('href', picture);
  };
  paint();
  dark.addEventListener('change', paint);
  // Changes in this tab are announced by Settings, changes in another tab by the storage event.
  addEventListener('unsaid:scheme', paint);
  addEventListener('unsaid:discreet', paint);
  addEventListener('storage', paint);

  // Quick exit: blanks the page at once, and replaces it in the history.
  const leave = () => {
    const elsewhere = document.getElementById('leave')?.href;
    if (!elsewhere || 'left' in root.dataset) return;
    root.dataset.left = '';
    document.title = 'Notes';
    // The number of a half-finished sign-in (lib/sent-code.ts).
    try {
      sessionStorage.removeItem('unsaid.otp');
    } catch {
      // Storage is blocked: nothing was kept.
    }
    const go = () => {
      mark('');
      location.replace(elsewhere);
    };
    // If the browser allows it, goes to the first entry of this site in the tab before replacing it, so that
    // Back does not show the others. If a page was loaded since, that entry is another document: the mark tells
    // it to go on.
    const here = window.navigation?.currentEntry;
    const first = here && (firstPage() ?? window.navigation.entries().find((entry) => entry.sameDocument));
    const steps = first ? here.index - first.index : 0;
    if (steps < 1) return go();
    if (!first.sameDocument) mark('on');
    addEventListener('popstate', go, { once: true });
    setTimeout(go, 300);
    history.go(-steps);
  };
  // Before it may be a file of this site, such as a picture, which could not go on.
  const firstPage = () =>
    window.navigation?.entries().find(({ key }) => key === read('sessionStorage', 'unsaid.first'));
  try {
    if (!firstPage()) sessionStorage.setItem('unsaid.first', window.navigation.currentEntry.key);
  } catch {
    // Storage is blocked, or the browser has no such list.
  }
  const mark = (on) => {
    try {
      if (on) sessionStorage.setItem('unsaid.left', on);
      else sessionStorage.removeItem('unsaid.left');
    } catch {
      // Storage is blocked: the first entry stays.
    }
  };
  const goOn = () => {
    if (!read('sessionStorage', 'unsaid.left')) return;
    root.dataset.left = '';
    mark('');
    const replace = () => location.replace(document.getElementById('leave').href);
    // Nothing is shown while the page loads.
    if (document.getElementById('leave')) replace();
    else addEventListener('DOMContentLoaded', replace);
  };
  goOn();
  addEventListener('pageshow', goOn);
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
  // Following the link would make an entry of the history without what the page keeps there, such as a typed search.
  addEventListener('click', (event) => {
    if (!event.target.closest?.('#skip')) return;
    event.preventDefault();
    const main = document.getElementById('page');
    main?.scrollIntoView();
    main?.focus({ preventScroll: true });
  });
  // Triple Escape also exits. Escape presses that close something are marked by `preventDefault` and do not
  // count.
  let escapes = [];
  addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || event.repeat || event.isComposing || event.defaultPrevented) return;
    // The browser clears a search input on Escape.
    if (event.target.type === 'search' && event.target.value) return;
    escapes = [...escapes, event.timeStamp].slice(-3).filter((at) => event.timeStamp - at <= 1500);
    if (escapes.length === 3) return leave();
    const said = document.getElementById('leave-said');
    const words = document.getElementById('leave-once-more');
    // The application says it in one language, the page in each.
    const own = words?.querySelector(`[lang='${root.lang}']`) ?? words;
    if (said) said.textContent = escapes.length === 2 ? own.textContent : '';
  });

  // The application did not load, or the browser is too old for it: index.html has words for that.
  const fail = ({ target, filename }) => {
    if (target.tagName === 'SCRIPT' || filename?.startsWith(location.origin)) root.dataset.failed = '';
  };
  addEventListener('error', fail, true);
  addEventListener(
    'unsaid:ready',
    () => {
      removeEventListener('error', fail, true);
      delete root.dataset.failed;
    },
    { once: true },
  );

  // Splash. Shown once in a tab, and in full only the first time on this device: later it ends as soon as the
  // first page is rendered (src/lib/app-ready.ts). Without storage, it is shown in full on every load. While there is no
  // page, it stays, up to fifteen seconds: a blank page would follow.
  if (read('sessionStorage', 'unsaid.splash')) return;
  const isFirstStart = !read('localStorage', 'unsaid.splash');
  for (const storage of ['sessionStorage', 'localStorage']) {
    try {
      window[storage].setItem('unsaid.splash', 'seen');
    } catch {
      // Storage is blocked or full.
    }
  }

  root.dataset.splash = 'shown';
  const holdApp = () => {
    const app = document.getElementById('root');
    if (app) app.inert = root.dataset.splash === 'shown';
  };
  const release = () => {
    holdApp();
    removeEventListener('unsaid:ready', onReady);
    removeEventListener('click', skip, true);
    removeEventListener('keydown', skipByKey, true);
  };
  const end = () => {
    delete root.dataset.splash;
    release();
  };
  // The app accepts input immediately; only the picture fades.
  const leaveSplash = () => {
    root.dataset.splash = 'leaving';
    release();
    setTimeout(end, calm.matches ? 0 : 200);
  };
  const skip = (event) => {
    event.preventDefault();
    event.stopPropagation();
    leaveSplash();
  };
  const skipByKey = (event) => {
    const isLeaving = event.target.closest?.('#leave');
    if (event.key === 'Escape' || (event.key === 'Enter' && !isLeaving)) skip(event);
  };
  let isReady = false;
  let isOver = false;
  const onReady = () => {
    isReady = true;
    if (!isFirstStart) return leaveSplash();
    if (isOver && root.dataset.splash === 'held') leaveSplash();
  };
  // A second before the fade, because a busy page is late.
  const holdUntilReady = () => {
    if (root.dataset.splash === 'shown' && !isReady && !('failed' in root.dataset))
      root.dataset.splash = 'held';
  };
  const endIfReady = () => {
    isOver = true;
    if (root.dataset.splash !== 'held' || 'failed' in root.dataset) end();
    else if (isReady) leaveSplash();
  };
  addEventListener('click', skip, true);
  addEventListener('keydown', skipByKey, true);
  addEventListener('DOMContentLoaded', holdApp);
  addEventListener('unsaid:ready', onReady);
  // Measured from the first frame: on a slow phone it is painted well after this script runs.
  addEventListener('animationend', (event) => event.animationName === 'splash-out' && end());
  requestAnimationFrame(() => {
    setTimeout(holdUntilReady, 4000);
    setTimeout(endIfReady, calm.matches ? 5000 : 6200);
    setTimeout(end, 15000);
  });
})();
