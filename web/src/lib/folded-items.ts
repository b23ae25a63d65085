import { createSessionMap } from './store.ts';

/** Ids of items that the user reported in this visit. In memory only, as the drafts of reports are. */
const folded = createSessionMap<true>();

export const foldItem = (id: string): void => folded.set(id, true);
export const unfoldItem = (id: string): void => folded.set(id, undefined);
export const useIsFolded = (id: string): boolean => folded.useValue(id) === true;
