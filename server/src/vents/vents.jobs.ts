import type { Databases } from '../platform/db.ts';
import type { Job } from '../platform/jobs.ts';
import type { VentDeletions } from './deletions.service.ts';
import type { Idempotency } from './idempotency.service.ts';
import { addMissingSounds } from './vent-search.queries.ts';

const soundsBatch = 500;
/** In one run, which other jobs wait for. */
const maxSoundsAtOnce = 10_000;

interface VentsJobsDeps {
  readonly db: Databases;
  readonly deletions: VentDeletions;
  readonly idempotency: Idempotency;
}

export function ventsJobs({ db, deletions, idempotency }: VentsJobsDeps): Job[] {
  return [
    {
      name: 'remove-deleted-vents',
      cron: '* * * * *',
      async run() {
        await deletions.processDeletions();
        await idempotency.deleteExpired();
      },
    },
    {
      // Rows from before search knew sounds, and those that the previous release writes during a rollout.
      name: 'add-search-sounds',
      cron: '* * * * *',
      async run() {
        for (let added = 0; added < maxSoundsAtOnce; added += soundsBatch)
          if ((await addMissingSounds(db.content, soundsBatch)) < soundsBatch) return;
      },
    },
  ];
}
