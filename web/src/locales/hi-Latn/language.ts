import type { Messages } from '@lingui/core';
import { englishMonths, partOfDay, type DateWords, type PartOfDay } from '../../lib/date-words.ts';

// The legal texts stay in English.
export const catalogues = import.meta.glob<{ messages: Messages }>(['./*.po', '!./legal.po']);

const parts = { morning: 'subah', afternoon: 'dopahar', evening: 'shaam', night: 'raat' };

export const dates: DateWords = {
  today: 'aaj',
  yesterday: 'kal',
  minutesAgo: (count) => `${count} min pehle`,
  hoursAgo: (count) => `${count} ghante pehle`,
  daysAgo: (count) => `${count} din pehle`,
  units: { second: 'second', minute: 'minute', hour: 'ghante' },
  full: (day, time, hour) => `${day} ko ${parts[partOfDay(hour)]} ${time} baje`,
  thisPart: partsAfter('aaj'),
  lastPart: partsAfter('kal'),
  dayAndPart: (day, part) => `${day}, ${parts[part]}`,
  and: () => ' aur ',
  ...englishMonths,
};

function partsAfter(day: string): Record<PartOfDay, string> {
  const { morning, afternoon, evening, night } = parts;
  return {
    morning: `${day} ${morning}`,
    afternoon: `${day} ${afternoon}`,
    evening: `${day} ${evening}`,
    night: `${day} ${night}`,
  };
}
