import type { ComponentChildren } from 'preact'
import type { Assets } from './assets.ts'

/** Turns off the parts of htmx that the content policy refuses, and requests to other origins. */
const htmxConfig = JSON.stringify({
  allowEval: false,
  includeIndicatorStyles: false,
  selfRequestsOnly: true,
  historyCacheSize: 0,
})

interface FrameProps {
  title: string
  /** In place of the title above the content. */
  heading?: ComponentChildren
  /** Name of the site, and its first page. */
  site: string
  home?: string
  assets: Assets
  /** Content beside the name of the site. */
  top?: ComponentChildren
  menu?: ComponentChildren
  children?: ComponentChildren
}

/** The frame of all pages of a site. */
export function Frame({ title, heading = title, site, home = '/', assets, top, menu, children }: FrameProps) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="htmx-config" content={htmxConfig} />
        <title>{`${title} · ${site}`}</title>
        <link rel="icon" href={assets.icon} type="image/svg+xml" />
        <link rel="stylesheet" href={assets.style} />
        <script src={assets.htmx.address} integrity={assets.htmx.integrity} defer></script>
        <script src={assets.script} defer></script>
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to the content
        </a>
        <header>
          <div class="top">
            <p class="brand">
              <a href={home}>
                <img src={assets.icon} alt="" />
                {site}
              </a>
            </p>
            {menu && (
              <button type="button" class="menu-button" aria-controls="menu" aria-expanded="false" data-menu hidden>
                Menu
              </button>
            )}
            {top}
          </div>
        </header>
        <div class="frame">
          {menu}
          <main id="main" tabIndex={-1}>
            <h1>{heading}</h1>
            {children}
          </main>
        </div>
      </body>
    </html>
  )
}

interface MenuProps<Address extends string> {
  /** `key`: opens the page when pressed after `g`. */
  pages: readonly (readonly [address: Address, name: string, key?: string])[]
  /** The current page, or its parent in the menu. */
  at: Address | undefined
  /** Titles of groups, each before the entry with this address. */
  groups?: Readonly<Record<string, string>>
}

export function Menu<Address extends string>({ pages, at, groups = {} }: MenuProps<Address>) {
  return (
    <nav id="menu" aria-label="Pages">
      <ul>
        {pages.flatMap(([address, name, key]) => [
          ...(groups[address] === undefined ? [] : [<li class="group">{groups[address]}</li>]),
          <li key={address}>
            <a href={address} data-key={key} {...(address === at && { 'aria-current': 'page' as const })}>
              {name}
            </a>
          </li>,
        ])}
      </ul>
    </nav>
  )
}
