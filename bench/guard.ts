/**
 * npm run bench:guard -- [--times 30]: milliseconds of each guard scan for 5,000 characters (about 5 are wanted), for a text
 * as people write it and for texts that make a careless scan slow. Growth itself is tested beside each guard.
 */
import { readAbuse } from '@unsaid/guard/abuse';
import { isHeavy, readCrisis, tellsToDie } from '@unsaid/guard/crisis';
import { findIdentity, hideIdentity } from '@unsaid/guard/identity';
import { findPeople } from '@unsaid/guard/people';
import { tellsReadersToDie } from '@unsaid/guard/readers';
import { hostileTexts, quickest, repeatTo } from '../testkit/growth.ts';
import { readOptions } from '../testkit/options.ts';

const { times } = readOptions({ times: 30 });
const chars = 5000;
const scans: Readonly<Record<string, (text: string) => unknown>> = {
  readCrisis,
  tellsToDie,
  tellsReadersToDie,
  isHeavy,
  readAbuse,
  findIdentity,
  findPeople,
  hideIdentity: (text) => hideIdentity(text),
};
const texts: Readonly<Record<string, string>> = {
  'an ordinary vent':
    'Main bahut akela hu yaar, kal exam hai aur neend nahi aa rahi. I feel so tired and my mother keeps calling. मुझे कुछ समझ नहीं आता, क्या करूँ। ',
  ...hostileTexts,
  ...Object.fromEntries(
    ['9 ', '98765 ', '1234 ', 'nine ', 'at at at dot ', 'a@', 'a_', '@', '(at)', 'r i y a ', 'insta is '].map(
      (part) => [part, part],
    ),
  ),
};

const rows = Object.entries(texts).map(([name, part]) => {
  const text = repeatTo(part, chars);
  const cells = Object.entries(scans).map(([scan, run]) => {
    const first = quickest(run, text, 1);
    return [`${scan} first`, first.toFixed(2), scan, quickest(run, text, times).toFixed(2)] as const;
  });
  return {
    text: name,
    ...Object.fromEntries(
      cells.flatMap(([a, b, c, d]) => [
        [a, b],
        [c, d],
      ]),
    ),
  };
});
console.table(rows);
