;;; eglot.el --- Hocket through Emacs' own client -*- lexical-binding: t -*-

;; Run in batch mode with the variables EDITORS_ROOT, EDITORS_TMP and HOCKET.
;; The configuration under test is the one of editors/emacs/README.md.

(require 'cl-lib)
(setq package-user-dir (expand-file-name "elpa" (getenv "EDITORS_TMP")))
;; A distribution's Eglot, for Emacs 28, is in folders that -Q leaves out.
(unless (>= emacs-major-version 29)
  (dolist (dir (file-expand-wildcards "/usr/share/emacs/site-lisp/elpa/*" t))
    (push dir load-path)))
(require 'project)
(require 'eglot)

;; Emacs brings no Go mode; for the client any will do.
(define-derived-mode go-mode prog-mode "Go")
(add-to-list 'auto-mode-alist '("\\.go\\'" . go-mode))
(setq eglot-sync-connect 30
      eglot-connect-timeout 60
      make-backup-files nil
      create-lockfiles nil)

(defvar failed 0)
(defun check (what ok &optional detail)
  (unless ok (cl-incf failed))
  (princ (format "%s: eglot: %s%s\n" (if ok "pass" "fail") what
                 (if (or ok (not detail)) ""
                   (replace-regexp-in-string "[ \n]+" " " (format ": %S" detail)))))
  ok)

(defmacro wait-for (seconds &rest condition)
  "Whether CONDITION comes true within SECONDS, output of processes read meanwhile."
  `(let ((end (+ (float-time) ,seconds)) value)
     (while (and (not (setq value (progn ,@condition))) (< (float-time) end))
       (accept-process-output nil 0.05)
       (sit-for 0.01))
     value))

(defvar said nil "Messages, newest first.")
(advice-add 'message :before
            (lambda (&rest args)
              (when (car args) (push (apply #'format-message args) said))))
(defun said-p (regexp) (cl-some (lambda (m) (string-match-p regexp m)) said))

(defun configuration ()
  "The lines that README.md tells users to write."
  (with-temp-buffer
    (insert-file-contents (expand-file-name "editors/emacs/README.md" (getenv "EDITORS_ROOT")))
    (search-forward "```elisp\n")
    (let ((from (point)))
      (search-forward "\n```")
      (buffer-substring from (match-beginning 0)))))

(defun diagnostics ()
  (flymake-start)
  (accept-process-output nil 0.1)
  (cl-remove-if-not (lambda (d) (string-match-p "index out of range" (flymake-diagnostic-text d)))
                    (flymake-diagnostics)))

(defun scenario ()
  (with-temp-buffer
    (insert (configuration))
    (eval-buffer))
  (setf (alist-get '(go-mode go-ts-mode) eglot-server-programs nil nil #'equal)
        (list (getenv "HOCKET") "lsp"))
  (let ((dir (file-truename (expand-file-name "module/" (getenv "EDITORS_TMP")))))
    (copy-directory (expand-file-name "test/editors/module/" (getenv "EDITORS_ROOT")) dir nil nil t)
    (add-hook 'project-find-functions (lambda (_) (cons 'transient dir)))
    (find-file (expand-file-name "pool_test.go" dir))
    (apply #'eglot (eglot--guess-contact))
    (check "the server starts" (wait-for 30 (eglot-managed-p)))
    (let* ((server (eglot-current-server))
           (process (jsonrpc--process server)))
      (check "its name is told" (equal (plist-get (eglot--server-info server) :name) "hocket")
             (eglot--server-info server))

      (goto-char (point-min))
      (search-forward "func TestGet")
      (hocket-find)
      (check "a search is started without blocking" t)
      (check "its outcome is told" (wait-for 240 (said-p "index out of range")) said)

      (find-file (expand-file-name "pool.go" dir))
      (check "the second file is managed" (wait-for 30 (eglot-managed-p)))
      (flymake-mode 1)
      (check "diagnostics in the file of the bug" (wait-for 30 (diagnostics)))
      (check "a finding is one problem, its other steps are notes"
             (>= 1 (cl-count 'eglot-warning (diagnostics) :key #'flymake-diagnostic-type)))
      (let* ((all (diagnostics))
             (d (or (cl-find 'eglot-warning all :key #'flymake-diagnostic-type) (car all))))
        (when d
          (check "underlined is code" (string-match-p "\\`[^ \t].*[^ \t]\\'"
                                                      (buffer-substring (flymake-diagnostic-beg d) (flymake-diagnostic-end d))))
          ;; On a busy machine confirming on the ordinary build may not fit the
          ;; budget; the message says so, and then it is a hint.
          (check "its severity is that of what was confirmed"
                 (eq (flymake-diagnostic-type d)
                     (if (said-p "seen only under control") 'eglot-note 'eglot-warning))
                 (list (flymake-diagnostic-type d) said))
          (goto-char (flymake-diagnostic-beg d))
          (let ((hover (jsonrpc-request server :textDocument/hover (eglot--TextDocumentPositionParams))))
            (check "hover with the table" (string-match-p "failing.*passing" (format "%S" hover)) hover))
          (let ((actions (append (jsonrpc-request
                                  server :textDocument/codeAction
                                  (list :textDocument (eglot--TextDocumentIdentifier)
                                        :range (list :start (eglot--pos-to-lsp-position) :end (eglot--pos-to-lsp-position))
                                        :context (list :diagnostics [])))
                                 nil)))
            (check "one code action for all that can be done"
                   (= 1 (cl-count-if (lambda (a) (string-prefix-p "Hocket…" (plist-get a :title))) actions))
                   actions))
          ;; The server asks; Eglot has the question answered in the minibuffer.
          (setq said nil)
          (let (asked)
            (cl-letf (((symbol-function 'completing-read)
                       (lambda (_prompt choices &rest _)
                         (push (mapcar (lambda (c) (if (consp c) (car c) c)) choices) asked)
                         "Explain")))
              (hocket-choose)
              (check "the list is asked for, and what is chosen is done"
                     (wait-for 240 (and asked (said-p "explanation"))) (list asked said))))
          ;; A client without a view of its own gets the steps as a document.
          (setq said nil)
          (cl-letf (((symbol-function 'completing-read) (lambda (&rest _) "Step through the schedule")))
            (hocket-choose)
            (let ((file (and (wait-for 60 (said-p "the steps of the schedule are in"))
                             (cl-some (lambda (m) (and (string-match "are in \\(.*\\.md\\)" m) (match-string 1 m))) said))))
              (check "the steps of the schedule as a document"
                     (and file (with-temp-buffer
                                 (insert-file-contents file)
                                 (string-match-p "| step | goroutine |" (buffer-string))))
                     said)))
          (hocket-explain)
          (check "the explanation in a buffer"
                 (with-current-buffer "*hocket*" (string-match-p "passing run" (buffer-string)))))
        (goto-char (point-min))
        (check "no hover elsewhere"
               (null (jsonrpc-request server :textDocument/hover (eglot--TextDocumentPositionParams)))))

      (let ((before (length (diagnostics))))
        (goto-char (point-min))
        (insert "// A line more.\n")
        (check "diagnostics stay after an edit" (and (> before 0) (wait-for 60 (= (length (diagnostics)) before))))
        (set-buffer-modified-p nil))

      ;; Emacs is not idle in between: Eglot has sent nothing of the edit by itself.
      (setq said nil)
      (goto-char (point-min))
      (search-forward "last := len(p.idle) - 1\n")
      (insert "\tif last < 0 {\n\t\treturn &Conn{id: -1}\n\t}\n")
      (set-buffer-modified-p nil)
      (with-current-buffer "pool_test.go"
        (goto-char (point-min))
        (search-forward "func TestGet")
        (hocket-find))
      (check "an edit of another buffer is searched at once"
             (and (wait-for 240 (said-p "TestGet: ")) (not (said-p "index out of range"))) said)

      (setq said nil)
      (hocket-cancel)
      (check "cancelling counts jobs" (said-p "cancelled 0") said)
      (eglot-shutdown server nil 5)
      (check "the server ends when asked" (wait-for 60 (not (process-live-p process)))))))

(condition-case err
    (scenario)
  (error (check "no error in the test" nil err)))
(kill-emacs (if (= failed 0) 0 1))
