/** The script of live updates. htmx polls a page with a `LiveBar` and updates its parts marked `data-live`, unless the tab is hidden or updates are stopped. */
export const liveScript = `
{
const source = document.querySelector('[data-live-source]')
const toggle = document.querySelector('[data-live-toggle]')
const state = document.querySelector('[data-live-state]')
if (source && toggle && state) {
  let isPaused = false
  const say = (text) => {
    if (state.textContent !== text) state.textContent = text
  }
  const isWanted = () => !isPaused && !document.hidden
  const tell = () => say(isWanted() ? 'Live' : 'Stopped')
  // Signed URLs differ on each load; parts with such URLs identify their content by a stamp.
  const newsOf = (part) => part.dataset.stamp || part.innerHTML
  const fieldsOf = (part) => [...part.querySelectorAll('select, textarea, input:not([type=hidden])')]
  // Identifies a field by its form's action and values, since several forms have the same choice. \`was\` is the shown state, which changes.
  const nameOf = ({ form, name, value, type }) => {
    const sent = form ? [...form.querySelectorAll('input[type=hidden]:not([name=was])')].map((hidden) => hidden.name + '=' + hidden.value) : []
    return [form?.getAttribute('action'), ...sent, name, type === 'checkbox' || type === 'radio' ? value : ''].join(' ')
  }
  const isTouched = (field) =>
    field.type === 'checkbox' || field.type === 'radio'
      ? field.checked !== field.defaultChecked
      : field.options
        ? field.selectedIndex !== Math.max(0, [...field.options].findIndex((option) => option.defaultSelected))
        : field.value !== field.defaultValue
  // Keep the user's input across updates.
  const keepTouched = (shown) => {
    const kept = new Map(fieldsOf(shown).filter(isTouched).map((field) => [nameOf(field), field]))
    return () => {
      for (const field of fieldsOf(shown)) {
        const before = kept.get(nameOf(field))
        if (!before) continue
        if ('checked' in before) field.checked = before.checked
        if (before.type !== 'checkbox' && before.type !== 'radio') field.value = before.value
      }
    }
  }
  // Finds the focused element again in the new content.
  const placeOf = (element) => {
    if (element.matches('details[id] > summary')) return '#' + CSS.escape(element.parentElement.id) + ' > summary'
    const name = ['id', 'href', 'aria-label'].find((each) => element.getAttribute(each))
    return name && '[data-live] [' + name + '="' + CSS.escape(element.getAttribute(name)) + '"]'
  }
  const replace = (shown, part) => {
    const open = [...shown.querySelectorAll('details[open][id]')].map(({ id }) => id)
    const focused = shown.contains(document.activeElement) ? document.activeElement : undefined
    const again = focused && placeOf(focused)
    // Do not update while focus is in a form field or on an unnamed element.
    if (focused && (!again || focused.matches('input, select, textarea'))) return
    const putBack = keepTouched(shown)
    shown.replaceChildren(...part.childNodes)
    putBack()
    if (part.dataset.stamp) shown.dataset.stamp = part.dataset.stamp
    for (const id of open) {
      const details = document.getElementById(id)
      if (details) details.open = true
    }
    if (again) document.querySelector(again)?.focus({ preventScroll: true })
  }
  const news = new Map()
  for (const part of document.querySelectorAll('[data-live]')) news.set(part.dataset.live, newsOf(part))
  const show = (text) => {
    const parsed = new DOMParser().parseFromString(text, 'text/html')
    for (const part of parsed.querySelectorAll('[data-live]')) {
      const { live } = part.dataset
      const shown = document.querySelector('[data-live="' + live + '"]')
      if (!shown || news.get(live) === newsOf(part)) continue
      const told = newsOf(part)
      const before = shown.innerHTML
      replace(shown, part)
      if (shown.innerHTML !== before) news.set(live, told)
    }
    document.dispatchEvent(new Event('pawl:shown'))
  }
  source.addEventListener('htmx:beforeRequest', (event) => {
    if (!isWanted()) event.preventDefault()
  })
  source.addEventListener('htmx:afterRequest', ({ detail }) => {
    document.body.classList.toggle('stale', !detail.successful)
    if (!detail.successful) return say('Not connected: these numbers may be old')
    show(detail.xhr.responseText)
    tell()
  })
  toggle.hidden = false
  toggle.addEventListener('click', () => {
    isPaused = !isPaused
    toggle.textContent = isPaused ? 'Start live updates' : 'Stop live updates'
    tell()
  })
  document.addEventListener('visibilitychange', tell)
  tell()
}
}
`
