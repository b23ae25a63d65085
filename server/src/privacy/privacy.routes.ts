import { deleteAccount, exportData } from '@unsaid/contract';
import { bind, type Binding } from '../platform/http/bind.ts';
import type { PrivacyService } from './privacy.service.ts';

export function privacyRoutes(privacy: PrivacyService): Binding[] {
  return [
    bind(exportData, async ({ viewer }) => ({ data: await privacy.exportAll(viewer) })),
    bind(deleteAccount, async ({ viewer, caller }) => {
      await privacy.eraseAccount(viewer);
      caller.dropBrowserCache();
    }),
  ];
}
