import styles from './avatar.module.css';

/** A drawn horizon, never a face; the name beside it is what identifies. */
export function Avatar({ src, size = 40 }: { readonly src: string; readonly size?: number }) {
  return <img className={styles.avatar} src={src} alt="" width={size} height={size} draggable={false} />;
}
