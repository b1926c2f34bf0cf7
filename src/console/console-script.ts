/** The pages' own script: keeps the parts of a page that are marked `data-live` up to date by server-sent events, unless the tab is hidden or updates are stopped. */
export const script = `
{
const source = document.querySelector('[data-live-source]')
const toggle = document.querySelector('[data-live-toggle]')
const state = document.querySelector('[data-live-state]')
if (source && toggle && state) {
  let stream
  let isPaused = false
  const say = (text) => {
    if (state.textContent !== text) state.textContent = text
  }
  // As the server wrote each part: times are rewritten in place.
  const written = new Map()
  const replace = (shown, part) => {
    const focused = shown.contains(document.activeElement) && document.activeElement.getAttribute('href')
    shown.replaceChildren(...part.childNodes)
    const again = focused && shown.querySelector('[href="' + CSS.escape(focused) + '"]')
    if (again) again.focus({ preventScroll: true })
  }
  const show = (text) => {
    const parsed = new DOMParser().parseFromString(text, 'text/html')
    for (const part of parsed.querySelectorAll('[data-live]')) {
      const shown = document.querySelector('[data-live="' + part.dataset.live + '"]')
      const { live } = part.dataset
      if (!shown || written.get(live) === part.innerHTML) continue
      written.set(live, part.innerHTML)
      replace(shown, part)
    }
    document.dispatchEvent(new Event('pawl:shown'))
    document.documentElement.dataset.shown = String(Number(document.documentElement.dataset.shown || 0) + 1)
  }
  const follow = () => {
    const isWanted = !isPaused && !document.hidden
    if (isWanted && !stream) {
      stream = new EventSource(source.dataset.liveSource)
      stream.onopen = () => say('Live')
      stream.onmessage = (message) => show(JSON.parse(message.data))
      stream.onerror = () => say('Not connected: these numbers may be old')
    } else if (!isWanted && stream) {
      stream.close()
      stream = undefined
      say('Stopped')
    }
  }
  toggle.hidden = false
  toggle.addEventListener('click', () => {
    isPaused = !isPaused
    toggle.textContent = isPaused ? 'Start live updates' : 'Stop live updates'
    follow()
  })
  document.addEventListener('visibilitychange', follow)
  window.addEventListener('pagehide', () => stream && stream.close())
  follow()
}
}
`
