cp "$ROOT"/prompts/rag/coherence.txt my-coherence.txt
