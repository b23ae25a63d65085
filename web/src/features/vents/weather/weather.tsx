import { Trans, useLingui } from '@lingui/react/macro';
import { useId, useState } from 'react';
import { formatDay, formatList, monthName } from '../../../lib/format.ts';
import { Card } from '../../../ui/card.tsx';
import { cx } from '../../../ui/class-names.ts';
import { EmotionChip, emotionClass, emotionIcons, emotionLabel } from '../../../ui/emotion.tsx';
import { countEmotions, lighterMonth, markDays, spanOf, type WeatherDay } from './weather-days.ts';
import styles from './weather.module.css';

/** In units of the SVG view box. */
const cell = 28;
const icon = 22;

/** The user's vents of the last weeks, one mark a day, and what they were mostly about. */
export function Weather({ days }: { readonly days: readonly WeatherDay[] }) {
  const { t } = useLingui();
  const id = useId();
  const [now] = useState(() => Date.now());
  const span = spanOf(days, now);
  const isFull = span.weeks === 12;
  const counts = countEmotions(days);
  const most = counts.filter(([, count]) => count === counts[0]?.[1]);
  const feelings = formatList(most.map(([emotion]) => emotionLabel(emotion).toLowerCase()));
  const lighter = lighterMonth(days);
  const month = lighter === undefined ? undefined : monthName(lighter);
  return (
    <Card aria-labelledby={id} className={styles.card}>
      <h2 id={id}>{isFull ? t`Your last 12 weeks` : t`Your last 2 weeks`}</h2>
      <div className={styles.look}>
        <div className={styles.picture}>
          <svg
            viewBox={`0 0 ${(span.days / span.rows) * cell} ${span.rows * cell}`}
            aria-hidden="true"
            focusable="false"
          >
            {markDays(days, span, now).map(({ daysAgo, emotion }, index) => {
              const x = Math.floor(index / span.rows) * cell;
              const y = (index % span.rows) * cell;
              if (emotion === null) {
                return (
                  <circle
                    key={daysAgo}
                    className={styles.quiet}
                    cx={x + cell / 2}
                    cy={y + cell / 2}
                    r="2.5"
                  />
                );
              }
              const edge = (cell - icon) / 2;
              return (
                <path
                  key={daysAgo}
                  className={cx(styles.mark, emotionClass(emotion))}
                  d={emotionIcons[emotion]}
                  // Material icons have a view box of 960 units above the baseline.
                  transform={`translate(${x + edge} ${y + edge + icon}) scale(${icon / 960})`}
                />
              );
            })}
          </svg>
          <p className={styles.ends} aria-hidden="true">
            <span>{isFull ? <Trans>12 weeks ago</Trans> : <Trans>2 weeks ago</Trans>}</span>
            <span>
              <Trans>today</Trans>
            </span>
          </p>
        </div>
        <div className={styles.words}>
          <p>
            {most.length < 3 ? t`Mostly ${feelings}.` : t`A bit of everything.`}
            {month !== undefined && ' '}
            {month !== undefined && t`${month} was lighter.`}
          </p>
          <ul role="list" className={styles.legend} aria-hidden="true">
            {counts.map(([emotion]) => (
              <li key={emotion}>
                <EmotionChip emotion={emotion} />
              </li>
            ))}
          </ul>
        </div>
      </div>
      <table className="visually-hidden">
        <caption>{t`Your vents by day and emotion`}</caption>
        <thead>
          <tr>
            <th scope="col">{t`Day`}</th>
            <th scope="col">{t`Emotion`}</th>
            <th scope="col">{t`Vents`}</th>
          </tr>
        </thead>
        <tbody>
          {days.map(({ day, emotion, count }) => (
            <tr key={`${day} ${emotion}`}>
              <th scope="row">{formatDay(day)}</th>
              <td>{emotionLabel(emotion)}</td>
              <td>{count}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}
