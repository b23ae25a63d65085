import type { IdentityCardProps } from './identity-card.tsx';
import { loadedCard } from './use-identity-guard.ts';

/** Under the field in which something identifying was found. Stands directly after it, to find its input. */
export function IdentityNotice(props: IdentityCardProps) {
  const card = loadedCard();
  return card && props.guard.problem?.field === props.field && <card.IdentityCard {...props} />;
}
