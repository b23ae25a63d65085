import type { Endpoint, ResponseOf } from '@unsaid/contract';
import type { Deps } from '../../server/src/deps.ts';
import { buildFeatures } from '../../server/src/features.ts';
import { buildModApp } from '../../server/src/mod-app.ts';
import { openModeratorSession } from '../../server/src/moderation/moderators/moderator-sessions.ts';
import { findActive } from '../../server/src/moderation/moderators/moderators.queries.ts';
import { addModerator } from '../../server/src/moderation/moderators/staff.ts';
import { cookieName } from '../../server/src/platform/http/cookies.ts';

interface Call {
  readonly params?: { readonly id?: string };
  readonly query?: Record<string, string>;
  readonly body?: object;
}

export interface Console {
  call<E extends Endpoint>(endpoint: E, call?: Call): Promise<ResponseOf<E>>;
  close(): Promise<void>;
}

/** The real application of the moderation console in this process, and a lead who is signed in. */
export async function openConsole(deps: Deps): Promise<Console> {
  const features = await buildFeatures(deps);
  const { server } = await buildModApp(deps, features);
  const { moderation } = deps.databases;
  await addModerator(features.moderation, 'bench', 'lead');
  await moderation.updateTable('moderation.moderators').set({ severePerDay: 200 }).execute();
  const moderator = await findActive(moderation, 'bench');
  if (!moderator) throw new Error('no moderator');
  const { token } = await openModeratorSession(features.moderation, moderator);
  const isSecure = deps.config.modOrigin?.protocol === 'https:';
  return {
    async call<E extends Endpoint>(endpoint: E, { params = {}, query, body }: Call = {}) {
      const response = await server.inject({
        method: endpoint.method,
        url: endpoint.path.replace(':id', params.id ?? ''),
        ...(query ? { query } : {}),
        ...(body ? { payload: body } : {}),
        headers: {
          'sec-fetch-site': 'same-origin',
          cookie: `${cookieName('mod', isSecure)}=${token}`,
        },
      });
      if (response.statusCode >= 400) throw new Error(`${endpoint.path}: ${response.payload}`);
      return JSON.parse(response.payload) as ResponseOf<E>;
    },
    async close() {
      await server.close();
    },
  };
}
