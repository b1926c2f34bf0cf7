/** Leads to the older entries of a list, where there are any. */
export function OlderLink({ href }: { href: string | undefined }) {
  if (href === undefined) return null
  return (
    <p>
      <a id="older" href={href}>
        Older
      </a>
    </p>
  )
}
