/** What a person wrote: plain text, in its own direction, and unable to turn the text around it. */
export function Words({
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
