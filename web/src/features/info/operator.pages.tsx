// One chunk for what is rarely opened: each dynamic import costs bytes in the entry.
export { GrievancePage } from './grievance.page.tsx';
export { LedgerPage } from './ledger.page.tsx';
export { NoticeBanner } from './notice-banner.tsx';
