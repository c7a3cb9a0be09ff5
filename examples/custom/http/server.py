#!/usr/bin/env python3
"""A support system with an HTTP interface, small enough to read: it answers from a list of keywords.

    python3 server.py 9000          then: assay run support_bot_http.yaml
"""
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ANSWERS = {
    "refund": "You get your refund within 14 days after the parcel has come back to us.",
    "return": "You can return it within 30 days; the label is free.",
    "deliver": "Your order arrives within three working days.",
    "ship": "We ship to Norway for 12 euros.",
    "password": "The page Forgot password sends you a link that is valid for one hour.",
    "warranty": "Appliances have a warranty of 24 months. Keep the receipt.",
}


class Chat(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        length = int(self.headers.get("Content-Length", 0))
        message = json.loads(self.rfile.read(length))["message"].lower()
        found = [word for word in ANSWERS if word in message]
        text = " ".join(ANSWERS[word] for word in found) or "Please ask our support by telephone."
        body = json.dumps({"reply": {"text": text}, "sources": [{"text": ANSWERS[word]} for word in found]})
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 9000
    ThreadingHTTPServer.request_queue_size = 128  # many ask at once
    server = ThreadingHTTPServer(("127.0.0.1", port), Chat)
    print(f"listening on http://127.0.0.1:{server.server_port}/chat", flush=True)
    server.serve_forever()
