interface OlderLinkProps {
  href: string | undefined
  /** The text of the link, for a list in another order. */
  label?: string
}

/** A link to the older entries of a list, if there are any. */
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
