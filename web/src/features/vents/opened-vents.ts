import { createSessionMap } from '../../lib/store.ts';

/** Ids of heavy vents that the reader opened. In memory alone: it would tell what somebody read. */
const opened = createSessionMap<true>();

export const openHeavy = (id: string): void => opened.set(id, true);
export const useIsOpened = (id: string): boolean => opened.useValue(id) === true;
