;;; emacs.el --- opens a claim in Emacs without a screen and writes down what the server says and does -*- lexical-binding: t -*-

;;; Code:
(require 'cl-lib)
(require 'eglot)
(require 'json)
(require 'yaml-mode)

(defvar seen nil "What was seen, as an alist that is written as JSON.")

(defun wait-for (what condition)
  "Waits until CONDITION returns something, at most 20 seconds, and returns it; an error names WHAT."
  (let ((end (+ (float-time) 20)) found)
    (while (not (setq found (funcall condition)))
      (when (> (float-time) end) (error "No %s" what))
      (accept-process-output nil 0.02))
    found))

(defun run (file command)
  "Opens FILE with the server that COMMAND starts."
  (setq eglot-server-programs (list (cons 'yaml-mode command)))
  (find-file file)
  (yaml-mode)
  (apply #'eglot (eglot--guess-contact))
  (flymake-mode 1)
  (flymake-start)
  (push (cons 'diagnostics
              (vconcat (mapcar (lambda (one) (list (line-number-at-pos (flymake-diagnostic-beg one)) (flymake-diagnostic-text one)))
                               (wait-for "diagnostics" #'flymake-diagnostics))))
        seen)
  (goto-char (point-min))
  (search-forward "kind")
  (push (cons 'hover (plist-get (plist-get (jsonrpc-request (eglot-current-server) :textDocument/hover (eglot--TextDocumentPositionParams)) :contents) :value)) seen)
  (goto-char (1- (point-max)))
  (let ((place (eglot-completion-at-point)))
    (push (cons 'completion (vconcat (all-completions "" (nth 2 place)))) seen))
  (goto-char (point-min))
  (search-forward "deviceClas")
  (cl-letf (((symbol-function 'completing-read) (lambda (_prompt choices &rest _) (caar choices))))
    (eglot-code-actions (point) nil "quickfix" t))
  (wait-for "mended text" (lambda () (save-excursion (goto-char (point-min)) (search-forward "deviceClassName" nil t))))
  ;; Without a screen Emacs is never idle, and so would not send the change.
  (eglot--signal-textDocument/didChange)
  (wait-for "silence" (lambda () (null (flymake-diagnostics))))
  (push (cons 'text (buffer-string)) seen))

(let ((inhibit-message t) (failed nil))
  (condition-case problem
      (run (getenv "CLAIMKIT_FILE") (append (json-parse-string (getenv "CLAIMKIT_LSP")) nil))
    (error (setq failed t) (push (cons 'problem (format "%S" problem)) seen)))
  (let ((coding-system-for-write 'utf-8))
    (write-region (json-encode seen) nil (getenv "CLAIMKIT_OUT")))
  (kill-emacs (if failed 1 0)))

;;; emacs.el ends here
