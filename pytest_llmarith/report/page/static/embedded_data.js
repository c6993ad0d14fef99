// The trials that are embedded: base64 of compressed JSON.

const embeddedTrials = async () => {
  const bytes = Uint8Array.from(atob(document.getElementById("trial-data").textContent), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
};
