/**
 * The version of the privacy notice, the page /privacy. A change that people must be asked about increments it, and
 * gets its line in `changes` in web/src/features/info/notice-banner.tsx.
 */
export const noticeVersion = 1;
/** Everybody agreed to this one by signing up, also before versions were stored. */
export const firstNoticeVersion = 1;
