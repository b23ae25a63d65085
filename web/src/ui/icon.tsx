interface IconProps {
  /** A Material Symbol imported with `?path`. */
  readonly path: string;
  readonly size?: number;
  readonly className?: string | undefined;
}

/** Decorative. The text beside it, or the label of its button, carries the meaning. */
export function Icon({ path, size = 24, className }: IconProps) {
  return (
    <svg
      className={className}
      width={size}
      height={size}
      viewBox="0 -960 960 960"
      fill="currentColor"
      aria-hidden="true"
      focusable="false"
    >
      <path d={path} />
    </svg>
  );
}
