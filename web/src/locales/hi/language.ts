import type { Messages } from '@lingui/core';
import { partOfDay, type DateWords } from '../../lib/date-words.ts';

export const catalogues = import.meta.glob<{ messages: Messages }>('./*.po');

const parts = { morning: 'सुबह', afternoon: 'दोपहर', evening: 'शाम', night: 'रात' };

// The long forms: Hindi's words are short, and its abbreviations ("मि॰", "नव॰") are not in common use.
const months = [
  'जनवरी',
  'फ़रवरी',
  'मार्च',
  'अप्रैल',
  'मई',
  'जून',
  'जुलाई',
  'अगस्त',
  'सितंबर',
  'अक्टूबर',
  'नवंबर',
  'दिसंबर',
];

export const dates: DateWords = {
  today: 'आज',
  yesterday: 'कल',
  minutesAgo: (count) => `${count} मिनट पहले`,
  hoursAgo: (count) => `${count} घंटे पहले`,
  daysAgo: (count) => `${count} दिन पहले`,
  months,
  monthNames: months,
  full: (day, time, hour) => `${day} को ${parts[partOfDay(hour)]} ${time} बजे`,
  thisPart: { morning: 'आज सुबह', afternoon: 'आज दोपहर', evening: 'आज शाम', night: 'आज रात' },
  lastPart: { morning: 'कल सुबह', afternoon: 'कल दोपहर', evening: 'कल शाम', night: 'कल रात' },
  dayAndPart: (day, part) => `${day}, ${parts[part]}`,
  and: (count) => (count > 2 ? ', और ' : ' और '),
};
