import type { VentView } from '@unsaid/contract';
import { memo, Suspense, useEffect, useMemo, useState, type ReactNode } from 'react';
import { holdContent } from '../../lib/app-ready.ts';
import { lazyPart } from '../../lib/lazy-part.tsx';
import { useGrowing } from '../../lib/use-growing.ts';
import { Bar, Loading } from '../../ui/skeleton.tsx';
import type { VentDialog } from './dialogs/vent-dialogs.tsx';
import { VentCard, type CardActions } from './vent-card.tsx';
import cardStyles from './vent-card.module.css';
import styles from './vent-list.module.css';

/** A tap on one card renders no other. */
const Card = memo(VentCard);

const ventDialogs = lazyPart(() => import('./dialogs/vent-dialogs.tsx'));
const VentDialogs = ventDialogs.as('VentDialogs');

interface DialogOptions {
  /** The user's own list: Delete has its icon, and closed comments stay readable and deletable. */
  readonly isOwnList?: boolean;
  readonly onDeleted?: (() => void) | undefined;
  /** Message when deleting fails. The specification has it with and without a full stop. */
  readonly deleteFailure?: string;
}

/** The dialogs of a vent. */
export function useVentDialogs(vents: readonly VentView[], options: DialogOptions = {}) {
  const [dialog, setDialog] = useState<VentDialog | null>(null);
  const [isOpen, setIsOpen] = useState(false);

  const actions = useMemo((): CardActions => {
    const open = (kind: VentDialog['kind']) => (vent: VentView) =>
      ventDialogs.show(() => {
        setDialog({ kind, vent });
        setIsOpen(true);
      });
    return {
      onMore: open('more'),
      onReport: open('report'),
      onDelete: open('delete'),
      onComments: open('comments'),
    };
  }, []);
  const dialogs = dialog && (
    <Suspense>
      <VentDialogs
        {...options}
        // The vent from the list, which includes changes since the dialog was opened.
        dialog={{ ...dialog, vent: vents.find(({ _id }) => _id === dialog.vent._id) ?? dialog.vent }}
        isOpen={isOpen}
        onClose={() => setIsOpen(false)}
        onReport={actions.onReport}
        onDelete={actions.onDelete}
      />
    </Suspense>
  );
  return { actions, dialogs };
}

interface VentListProps extends DialogOptions {
  readonly vents: readonly VentView[];
  readonly heading?: 2 | 3;
  readonly hasFullDate?: boolean;
  /** Marks the vents as the reader's own. */
  readonly isMarkedOwn?: boolean;
  /** Of a search: the ids of those that match by sound alone. */
  readonly bySound?: readonly string[] | undefined;
  readonly query?: string;
  /** After the second vent. Not part of the list. */
  readonly aside?: ReactNode;
}

const beforeAside = 2;
/** As many as a phone shows. */
const atOnce = 2;

export function VentList({
  vents,
  heading = 2,
  hasFullDate,
  isMarkedOwn,
  bySound,
  query,
  aside,
  ...options
}: VentListProps) {
  const { actions, dialogs } = useVentDialogs(vents, options);
  const count = useGrowing(vents.length, atOnce);
  const coming = new Set(vents.slice(count));
  const listOf = (some: readonly VentView[]) => (
    <ul role="list" className={styles.list}>
      {some.map((vent) => (
        <li key={vent._id} aria-hidden={coming.has(vent) || undefined}>
          {coming.has(vent) ? (
            <ComingCard />
          ) : (
            <Card
              {...actions}
              vent={vent}
              heading={heading}
              hasFullDate={hasFullDate ?? false}
              isMarkedOwn={isMarkedOwn ?? false}
              soundsLike={bySound?.includes(vent._id) ? query : undefined}
              isInOwnList={options.isOwnList ?? false}
            />
          )}
        </li>
      ))}
    </ul>
  );
  return (
    <>
      {aside ? (
        <div className={styles.list}>
          {listOf(vents.slice(0, beforeAside))}
          {aside}
          {vents.length > beforeAside && listOf(vents.slice(beforeAside))}
        </div>
      ) : (
        listOf(vents)
      )}
      {dialogs}
    </>
  );
}

/** The place of a card that is rendered after the next frame. */
function ComingCard() {
  useEffect(holdContent, []);
  return <PlaceholderCard />;
}

const PlaceholderCard = () => (
  <div className={cardStyles.card}>
    <div className={cardStyles.top}>
      <Bar width="104px" height={28} />
    </div>
    <Bar width="55%" height={20} />
    <Bar />
    <Bar width="85%" />
    <div className={styles.foot}>
      <Bar width="180px" height={24} />
    </div>
  </div>
);

/** Placeholder cards. */
export function VentListSkeleton({ count = 3 }: { readonly count?: number }) {
  return (
    <Loading className={styles.list}>
      {Array.from({ length: count }, (_, index) => (
        <PlaceholderCard key={index} />
      ))}
    </Loading>
  );
}
