import type { PrivacyPart } from '../kernel/privacy-registry.ts';
import { listAuthoredComments } from './comments/authored-comments.ts';
import type { ContentContext } from './context.ts';
import { listHeld } from './held/held-vents.ts';
import { deleteAllHeld } from './held/own-held.ts';
import { leave } from './leaving/leaving.ts';
import { closeSlots } from './slots/slots.ts';
import { listOwnForExport } from './vents/authored-vents.ts';

export const contentPrivacy = (ctx: ContentContext): PrivacyPart[] => [
  {
    feature: 'slots',
    tables: ['content.taken_slots'],
    erases: 'closing',
    export: async () =>
      'How many vents and comments you ever wrote, as marks that only your account can recognise.',
    // The rows stay. If they were deleted with their owner, two copies of the database would show which rows belonged
    // to one person. Without the author seed they cannot be computed again (docs/adr/0006).
    erase: ({ person }) => closeSlots(ctx, person),
  },
  {
    feature: 'leaving',
    tables: ['content.leavings'],
    erases: 'words',
    export: async () =>
      'Nothing, as long as you are here. If you delete your account and have your words removed, one encrypted ticket says which are to go and over what time.',
    erase: ({ person }, { removeWords }) => leave(ctx, person, removeWords),
  },
  {
    feature: 'vents',
    tables: [
      'content.vents',
      'content.vent_stats',
      'content.vent_search',
      'content.trending',
      'content.idempotency',
    ],
    erases: 'words',
    async export({ person }) {
      const vents = await listOwnForExport(ctx, person);
      return vents.map(({ createdAt, ...vent }) => ({ ...vent, createdAt: createdAt.toISOString() }));
    },
    // Vents are deleted one by one (leaving/): vents that vanish together would show their common author.
    erase: async () => {},
  },
  {
    feature: 'heldVents',
    tables: ['content.held_vents', 'content.failed_rows', 'content.data_keys'],
    erases: 'words',
    export: async ({ person }) =>
      (await listHeld(ctx, person)).map(({ _id, isStuck: _isStuck, ...said }) => said),
    erase: ({ person }) => deleteAllHeld(ctx, person),
  },
  {
    feature: 'comments',
    tables: ['content.comments', 'content.shut_outs', 'content.thanks'],
    erases: 'words',
    async export({ person }) {
      const exported: { text: string; saidOn: string; as: string }[] = [];
      for await (const rows of listAuthoredComments(ctx, person))
        for (const { body, saidOn, voice } of rows) exported.push({ text: body, saidOn, as: voice });
      return exported;
    },
    // Comments are deleted one by one, like vents (leaving/). Closings and thanks go with their vents.
    erase: async () => {},
  },
  // The key of a reaction can be computed from the account's author seed only. Without the account, it leads to no person.
  {
    feature: 'reactions',
    tables: ['content.reactions'],
    erases: 'words',
    export: async () =>
      'Each is kept under a key of its own, so there is no list of yours. When you delete your account, nobody can tell any more that they were yours, not even we.',
    erase: async () => {},
  },
  // Nothing here is about a person.
  {
    feature: 'listening',
    tables: ['content.heard_weeks'],
    erases: 'words',
    export: async () => 'Only how soon the vents of everyone were answered, by week.',
    erase: async () => {},
  },
];
