// One chunk for what is rarely opened: each dynamic import costs bytes in the entry.
export { DataLost } from './data-lost.tsx';
export { GrievancePage } from './grievance.page.tsx';
export { HeardPage } from './heard.page.tsx';
export { LedgerPage } from './ledger.page.tsx';
export { NoticeBanner } from './notice-banner.tsx';
