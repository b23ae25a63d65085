import type { Job } from '../platform/jobs.ts';
import type { VentDeletions } from './deletions.service.ts';
import type { FeedService } from './feed.service.ts';
import type { Idempotency } from './idempotency.service.ts';

interface VentsJobsDeps {
  readonly feed: FeedService;
  readonly deletions: VentDeletions;
  readonly idempotency: Idempotency;
}

export function ventsJobs({ feed, deletions, idempotency }: VentsJobsDeps): Job[] {
  return [
    {
      name: 'remove-deleted-vents',
      cron: '* * * * *',
      async run() {
        await deletions.processDeletions();
        await idempotency.deleteExpired();
      },
    },
    { name: 'sample-search-words', cron: '10 22 * * *', run: () => feed.sampleSearchWords() },
  ];
}
