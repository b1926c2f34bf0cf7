/** An id, cut with an ellipsis where it is long. The whole is in the page, for a search, a selection and a screen reader, is its title, and is copied by the button, which the pages' script shows. */
export function ShortId({ id, href }: { id: string; href?: string }) {
  return (
    <span class="short-id">
      {href === undefined ? (
        <code title={id}>{id}</code>
      ) : (
        <a href={href} title={id}>
          {id}
        </a>
      )}
      <button type="button" class="copy" data-copy="" title="Copy" aria-label={`Copy ${id}`} hidden />
    </span>
  )
}
