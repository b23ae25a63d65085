import './ui/tokens.css';
import './ui/base.css';
import { startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { startServiceWorker } from './app/service-worker.ts';
import { afterFirstContent, contentShown } from './lib/app-ready.ts';
import { dropFirstCalls } from './lib/first-calls.ts';
import { loadFont } from './lib/font.ts';
import { lazyPart } from './lib/lazy-part.tsx';
import { readSentCode } from './lib/sent-code.ts';
import { getSession, subscribeToSession } from './lib/session.ts';
import { startLocale } from './locales/i18n.ts';

// Removes one that expired while the tab was closed, on whatever page it opens.
readSentCode();

const root = document.getElementById('root');
// As a transition, React renders in small slices: a slow phone can scroll and tap meanwhile.
if (root) void startLocale().then(() => startTransition(() => createRoot(root).render(<App />)));

/** Until it is loaded, pages show what they fetch themselves. A visitor without an account never needs it. */
const live = lazyPart(() => import('./lib/live-connection.ts'), { isLate: true });
function loadLiveOnceSignedIn(): void {
  const load = () =>
    live.load().then(
      ({ startLive }) => startLive(),
      () => window.addEventListener('online', () => void load(), { once: true }),
    );
  if (getSession().isSignedIn) return void load();
  const unsubscribe = subscribeToSession(() => {
    if (!getSession().isSignedIn) return;
    unsubscribe();
    void load();
  });
}

void contentShown().then(dropFirstCalls);
loadLiveOnceSignedIn();
void loadFont();
/** The first vents, and what can be done with them, come before what is kept for the next visit. */
const workerDelayMs = 2000;
if (import.meta.env.PROD)
  void afterFirstContent().then(() => setTimeout(() => void startServiceWorker(), workerDelayMs));
