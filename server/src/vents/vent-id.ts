import type { PublicIds } from '../pseudonyms/public-ids.ts';

/** No row has this id. */
const noVent = -1n;

/** A forged id becomes one that no row has, so that it takes the same path as an unknown id. */
export function openVentId(publicIds: PublicIds, sealedId: string): bigint {
  return publicIds.vent.decode(sealedId) ?? noVent;
}
