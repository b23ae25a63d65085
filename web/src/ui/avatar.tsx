import styles from './avatar.module.css';

/** Generated image without a face. Decorative: the name beside it identifies the person. */
export function Avatar({ src, size = 40 }: { readonly src: string; readonly size?: number }) {
  return <img className={styles.avatar} src={src} alt="" width={size} height={size} draggable={false} />;
}
