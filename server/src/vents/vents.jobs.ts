import type { Job } from '../platform/jobs.ts';
import type { VentDeletions } from './deletions.service.ts';
import type { Idempotency } from './idempotency.service.ts';

interface VentsJobsDeps {
  readonly deletions: VentDeletions;
  readonly idempotency: Idempotency;
}

export function ventsJobs({ deletions, idempotency }: VentsJobsDeps): Job[] {
  return [
    {
      name: 'remove-deleted-vents',
      cron: '* * * * *',
      async run() {
        await deletions.processDeletions();
        await idempotency.deleteExpired();
      },
    },
  ];
}
