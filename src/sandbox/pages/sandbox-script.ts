/** Script of the pages: `data-copy` copies the text of the element with that id. */
export const script = `
for (const button of document.querySelectorAll('[data-copy]')) {
  const source = document.getElementById(button.dataset.copy)
  const said = document.getElementById(button.dataset.copy + '-copied')
  button.hidden = false
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(source.textContent)
      said.textContent = 'Copied'
    } catch {
      getSelection().selectAllChildren(source)
      said.textContent = 'Selected: copy it with the keyboard'
    }
  })
}
`
