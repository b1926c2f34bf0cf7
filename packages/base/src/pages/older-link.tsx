interface OlderLinkProps {
  href: string | undefined
  /** For a list in another order. */
  label?: string
}

/** Leads to the older entries of a list, where there are any. */
export function OlderLink({ href, label = 'Older' }: OlderLinkProps) {
  if (href === undefined) return null
  return (
    <p>
      <a id="older" href={href}>
        {label}
      </a>
    </p>
  )
}
