// First, and for its effect alone.
import './lib/zod-config.ts';
import './ui/tokens.css';
import './ui/base.css';
import { startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { startServiceWorker } from './app/service-worker.ts';
import { startLocale } from './locales/i18n.ts';

const root = document.getElementById('root');
// In small steps, so that a slow phone can scroll, tap and leave meanwhile.
if (root) void startLocale().then(() => startTransition(() => createRoot(root).render(<App />)));

// After everything that this visit needs.
if (import.meta.env.PROD) {
  window.addEventListener('load', () => setTimeout(() => void startServiceWorker(), 1000));
}
