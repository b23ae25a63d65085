import { appealNotice, listNotices } from '@unsaid/contract';
import { bind } from '../../kernel/viewer.ts';
import type { Binding } from '../../platform/http/bind.ts';
import type { NoticesService } from './notices.ts';

export function noticesRoutes(notices: NoticesService): Binding[] {
  return [
    bind(listNotices, async ({ viewer }) => ({ notices: await notices.list(viewer.person) })),

    bind(appealNotice, ({ viewer, params, body }) => notices.appeal(viewer, params.id, body.text)),
  ];
}
