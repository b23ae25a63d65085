import type { InboxLine } from '@unsaid/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState, type RefObject } from 'react';
import { findLines, glance } from './inbox.api.ts';
import { createSeenGatherer, type SeenGatherer } from './seen-gatherer.ts';

/** Takes the number of lines that were on screen off the bell. They stay new until they are opened. */
export function useSeenLines(accountId: string): SeenGatherer {
  const client = useQueryClient();
  const [gatherer] = useState(() => createSeenGatherer((keys) => glance(findLines(client, accountId, keys))));
  useEffect(() => {
    gatherer.open();
    return () => gatherer.close();
  }, [gatherer]);
  return gatherer;
}

/** Observes the element of a line that is new. */
export function useSeenLine(
  gatherer: SeenGatherer,
  { key }: InboxLine,
  isNew: boolean,
): RefObject<HTMLLIElement | null> {
  const element = useRef<HTMLLIElement>(null);
  useEffect(
    () => (isNew && element.current ? gatherer.observe(element.current, key) : undefined),
    [gatherer, key, isNew],
  );
  return element;
}
