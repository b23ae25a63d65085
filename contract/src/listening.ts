import * as z from 'zod/mini';
import { doors } from './comments.ts';
import { endpoint } from './endpoint.ts';
import { success, wholeNumber } from './fields.ts';
import { limits } from './limits.ts';
import { ventView } from './vents.ts';

/** The languages that a listener can choose. A setting of the browser, sent with each call and stored nowhere. */
export const readingLanguages = ['en', 'hi', 'hinglish'] as const;
export type ReadingLanguage = (typeof readingLanguages)[number];

/** Separated by commas. Parsed in the order of the list, each once. */
const reads = z.pipe(
  z.string().check(z.maxLength(30)),
  z.pipe(
    z.transform((text: string) => text.split(',')),
    z.pipe(
      z.array(z.enum(readingLanguages)),
      z.transform((chosen) => readingLanguages.filter((one) => chosen.includes(one))),
    ),
  ),
);

const count = wholeNumber(limits.listenCount);

export const listen = endpoint({
  method: 'GET',
  path: '/api/listen',
  summary:
    'Vents that wait for an answer, drawn at random from those whose turn it is; never own ones. `reads` takes languages, separated by commas. Being offered one is stored nowhere.',
  query: z.object({
    reads: z.optional(reads),
    count: z.optional(count),
    door: z.optional(z.enum(doors)),
  }),
  response: z.object({ ...success, vents: z.array(ventView) }),
  rate: ['listens', 'ventsRead'],
  cost: {
    ventsRead: (sent) => {
      const asked = count.safeParse(sent['count'] ?? '1');
      return asked.success ? asked.data : 1;
    },
  },
  // An empty answer would tell an observer of the network that the only vent that waits is the listener's own.
  padToBytes: 8 * 1024,
});
