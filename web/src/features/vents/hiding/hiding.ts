/** What is loaded once something is hidden, in one chunk. Without dialogs: a line must not wait for them. */
export { fetchComment, HiddenComment } from './hidden-comment.tsx';
export { HiddenVent } from './hidden-vent.tsx';
export { hideVent, unhideVent } from './hide-vent.ts';
