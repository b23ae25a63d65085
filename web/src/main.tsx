// First, and for its effect alone.
import './lib/zod-config.ts';
import './ui/tokens.css';
import './ui/base.css';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { activateEnglish } from './locales/i18n.ts';

activateEnglish();

const root = document.getElementById('root');
if (root) createRoot(root).render(<App />);
