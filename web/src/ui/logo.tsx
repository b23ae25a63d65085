/** The logo: a speech bubble with a wavy line. */
export function Logo({ size = 28 }: { readonly size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 64 64" fill="none" aria-hidden="true" focusable="false">
      <path
        fill="currentColor"
        d="M15 6h34a10 10 0 0 1 10 10v23a10 10 0 0 1-10 10H32.5L19 60.6a1.5 1.5 0 0 1-2.5-1.1V49H15A10 10 0 0 1 5 39V16A10 10 0 0 1 15 6Z"
      />
      <path
        stroke="var(--bg)"
        strokeWidth="5"
        strokeLinecap="round"
        d="M17 28.5c3.7-4.6 7.3-4.6 10.5-1 3.2 3.7 6.6 3.7 9.8 0 3.2-3.6 6.7-3.6 9.7 0"
      />
    </svg>
  );
}
