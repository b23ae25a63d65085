import { recoverAccount } from '@unsaid/contract';
import type { Identity } from '../../identity/index.ts';
import { bind } from '../../kernel/viewer.ts';
import type { Binding } from '../../platform/http/bind.ts';
import type { ReturningService } from './returning.service.ts';

export function returningRoutes(returning: ReturningService, cookies: Identity['cookies']): Binding[] {
  return [
    bind(recoverAccount, async ({ body, caller, viewer }) => {
      const { token, user, device } = await returning.recoverAccount(viewer, body.code, {
        device: cookies.device(caller),
        userAgent: caller.userAgent,
      });
      cookies.setDevice(caller, device);
      return { token, user };
    }),
  ];
}
