/**
 * Text written by a user. Bidi-isolated: its direction is detected, and cannot affect the surrounding text.
 */
export function UserText({
  children,
  className,
}: {
  readonly children: string;
  readonly className?: string | undefined;
}) {
  return (
    <bdi dir="auto" className={className}>
      {children}
    </bdi>
  );
}
