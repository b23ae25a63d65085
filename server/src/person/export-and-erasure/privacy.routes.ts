import { deleteAccount, exportData } from '@unsaid/contract';
import type { Identity } from '../../identity/index.ts';
import { bind } from '../../kernel/viewer.ts';
import type { Binding } from '../../platform/http/bind.ts';
import { defaultSpan } from '../../kernel/leaving-spans.ts';
import type { PrivacyService } from './privacy.service.ts';

interface PrivacyRoutesDeps {
  readonly privacy: PrivacyService;
  readonly cookies: Identity['cookies'];
}

export function privacyRoutes({ privacy, cookies }: PrivacyRoutesDeps): Binding[] {
  return [
    bind(exportData, async ({ viewer }) => ({ data: await privacy.exportAll(viewer) })),
    bind(deleteAccount, async ({ viewer, caller, query }) => {
      await privacy.eraseAccount(viewer, query.removeWords ?? defaultSpan);
      cookies.forget(caller, viewer.userId);
      caller.dropBrowserCache();
    }),
  ];
}
