import { agreeToNotice, getAgreement } from '@unsaid/contract';
import { bind } from '../../kernel/viewer.ts';
import type { Binding } from '../../platform/http/bind.ts';
import type { AgreementsService } from './agreements.service.ts';

export function agreementsRoutes(agreements: AgreementsService): Binding[] {
  return [
    bind(getAgreement, async ({ viewer }) => ({ version: await agreements.version(viewer.userId) })),
    bind(agreeToNotice, ({ viewer, body }) => agreements.agree(viewer.userId, body.version)),
  ];
}
