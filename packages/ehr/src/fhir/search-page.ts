import { z } from 'zod'

/** One page of a search. An entry without a resource makes it invalid (FHIR R4, bdl-5). */
export const Page = z.looseObject({
  resourceType: z.literal('Bundle'),
  entry: z
    .array(
      z.looseObject({
        fullUrl: z.string().optional().catch(undefined),
        resource: z.looseObject({ resourceType: z.string() }),
      }),
    )
    .optional(),
  link: z
    .array(z.looseObject({ relation: z.string(), url: z.string() }))
    .optional()
    .catch(undefined),
})

export type Page = z.infer<typeof Page>

/**
 * The address of the page after `url`; undefined after the last page, `invalid` if it is no address. It stays on the configured server, which gets the token:
 * the part after a path of the server is appended to the configured base.
 */
export function nextAddress(
  page: Page,
  { type, url, baseUrl }: { type: string; url: string; baseUrl: string },
): URL | 'invalid' | undefined {
  const named = page.link?.find(({ relation }) => relation === 'next')?.url
  if (named === undefined) return undefined
  if (!URL.canParse(named, url)) return 'invalid'
  const { pathname, search } = new URL(named, url)
  const own = ownPathsOf(page, type).find((path) => pathname === path || pathname.startsWith(`${path}/`))
  const address = own === undefined ? new URL(baseUrl).origin + pathname : baseUrl + pathname.slice(own.length)
  return new URL(address + search)
}

/** The server's own paths on a page, from each `fullUrl` and the link `self`. Behind a gateway they differ from the configured one. */
function ownPathsOf({ entry = [], link = [] }: Page, type: string): string[] {
  const self = link.find(({ relation }) => relation === 'self')?.url
  const named = [
    ...entry.map(({ fullUrl, resource }) => ({ url: fullUrl, name: resource.resourceType })),
    { url: self, name: type },
  ]
  return named.flatMap(({ url = '', name }) => {
    const path = URL.canParse(url) ? new URL(url).pathname : ''
    const end = path.lastIndexOf(`/${name}`)
    return end === -1 ? [] : [path.slice(0, end)]
  })
}
