import './ui/tokens.css';
import './ui/base.css';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { takeEnrolToken } from './lib/enrol-token.ts';

// Before anything is rendered or could fail: the token must not stay in the address bar or the history.
takeEnrolToken();

const root = document.getElementById('root');
if (root) createRoot(root).render(<App />);
